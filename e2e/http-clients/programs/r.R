# Rscript r.R CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
args <- commandArgs(TRUE)
client <- args[1]
body <- '{"name":"Rex","photoUrls":[]}'

# Each client is call(url, posts, headers, limited), which returns the status and the length, and json(url), if it has one.
clients <- list(
  download.file = function() {
    list(call = function(url, posts, headers, limited) {
      if (posts) return(NULL)
      if (limited) options(timeout = 3)
      file <- tempfile()
      download.file(url, file, quiet = TRUE)
      c(200, file.size(file))
    })
  },
  httr = function() {
    suppressMessages(library(httr))
    list(
      call = function(url, posts, headers, limited) {
        config <- c(if (length(headers)) do.call(add_headers, headers), if (limited) timeout(3))
        response <- if (posts) POST(url, config, body = body) else GET(url, config)
        c(status_code(response), length(content(response, "raw")))
      },
      json = function(url) content(GET(url))
    )
  },
  httr2 = function() {
    suppressMessages(library(httr2))
    list(
      call = function(url, posts, headers, limited) {
        request <- do.call(req_headers, c(list(request(url)), headers))
        if (posts) request <- req_body_raw(request, body, "application/json")
        if (limited) request <- req_timeout(request, 3)
        response <- req_perform(request)
        c(resp_status(response), length(response$body))
      },
      json = function(url) resp_body_json(req_perform(request(url)))
    )
  }
)

used <- clients[[client]]()
for (i in seq(2, length(args), 2)) {
  step <- args[i]
  posts <- step %in% c("post", "key")
  headers <- c(if (posts) list("Content-Type" = "application/json"), if (step == "key") list("Idempotency-Key" = "k1"))
  line <- tryCatch({
    if (step == "json") {
      if (is.null(used$json)) "NA" else paste("JSON", class(used$json(args[i + 1])))
    } else {
      result <- used$call(args[i + 1], posts, headers, step == "timeout")
      if (is.null(result)) "NA" else paste("OK", result[1], result[2])
    }
  }, error = function(e) paste("ERR", conditionMessage(e)), warning = function(w) paste("ERR", conditionMessage(w)))
  cat(gsub("[[:space:]]+", " ", line), "\n", sep = "")
}
