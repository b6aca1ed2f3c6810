;; emacs -Q --batch -l emacs.el STEP URL [STEP URL]…: the steps are those of node.mjs.
(require 'url)
(setq url-show-status nil)
(defun run-step (step url)
  (let* ((posts (member step '("post" "key")))
         (url-request-method (if posts "POST" "GET"))
         (url-request-data (and posts "{\"name\":\"Rex\",\"photoUrls\":[]}"))
         (url-request-extra-headers
          (append (and posts '(("Content-Type" . "application/json")))
                  (and (equal step "key") '(("Idempotency-Key" . "k1")))))
         (buffer (url-retrieve-synchronously url nil nil (and (equal step "timeout") 3))))
    (unless buffer (error "no buffer"))
    (with-current-buffer buffer
      (goto-char (point-min))
      (unless (re-search-forward "\\`HTTP/[0-9.]+ \\([0-9]+\\)" nil t) (error "no status line"))
      (let ((status (match-string 1)))
        (re-search-forward "\r?\n\r?\n" nil t)
        (format "OK %s %d\n" status (- (point-max) (point)))))))
(while command-line-args-left
  (let ((step (pop command-line-args-left)) (url (pop command-line-args-left)))
    (princ (if (equal step "json")
               "NA\n"
             (condition-case problem
                 (run-step step url)
               (error (replace-regexp-in-string "\n\\(.\\)" " \\1" (format "ERR %S\n" problem))))))))
(kill-emacs 0)
