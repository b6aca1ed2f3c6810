#lang racket/base
;; racket racket.rkt STEP URL [STEP URL]…: the steps are those of node.mjs. net/url has no timeout.
(require net/url racket/port racket/string)
(define type "Content-Type: application/json")
(define body #"{\"name\":\"Rex\",\"photoUrls\":[]}")
(define (call step url)
  (define in
    (case step
      [("get") (get-impure-port url)]
      [("post") (post-impure-port url body (list type))]
      [("key") (post-impure-port url body (list type "Idempotency-Key: k1"))]))
  (define head (purify-port in))
  (define content (port->bytes in))
  (close-input-port in)
  (printf "OK ~a ~a\n" (cadr (string-split head)) (bytes-length content)))
(let loop ([args (vector->list (current-command-line-arguments))])
  (unless (null? args)
    (if (member (car args) '("json" "timeout"))
        (printf "NA\n")
        (with-handlers ([exn:fail? (lambda (e) (printf "ERR ~a\n" (string-replace (exn-message e) "\n" " ")))])
          (call (car args) (string->url (cadr args)))))
    (flush-output)
    (loop (cddr args))))
