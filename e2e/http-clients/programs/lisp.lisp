;; sbcl --script lisp.lisp -- STEP URL [STEP URL]…: the steps are those of node.mjs. In SBCL, drakma has no read timeout.
(require "asdf")
(handler-bind ((warning #'muffle-warning))
  (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
    (asdf:load-system "drakma")))
(defun call (step url)
  (if (string= step "get")
      (drakma:http-request url)
      (drakma:http-request url :method :post
                               :content "{\"name\":\"Rex\",\"photoUrls\":[]}"
                               :content-type "application/json"
                               :additional-headers (and (string= step "key") '(("Idempotency-Key" . "k1"))))))
(loop for (step url) on (cdr (member "--" sb-ext:*posix-argv* :test #'string=)) by #'cddr
      do (if (member step '("json" "timeout") :test #'string=)
             (format t "NA~%")
             (handler-case
                 (multiple-value-bind (body status) (call step url) (format t "OK ~a ~a~%" status (length body)))
               (error (problem) (format t "ERR ~a~%" (substitute #\Space #\Newline (princ-to-string problem))))))
         (finish-output))
(sb-ext:exit :abort t)
