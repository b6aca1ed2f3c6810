# tclsh tcl.tcl STEP URL [STEP URL]…: the steps are those of node.mjs.
package require http
fconfigure stdout -buffering line
set options {
  get {}
  post {-type application/json -query {{"name":"Rex","photoUrls":[]}}}
  key {-type application/json -query {{"name":"Rex","photoUrls":[]}} -headers {Idempotency-Key k1}}
  timeout {-timeout 3000}
}
foreach {step url} $argv {
  if {$step eq "json"} {
    puts NA
  } elseif {[catch {
    set token [http::geturl $url {*}[dict get $options $step]]
    if {[http::status $token] ne "ok"} {error "[http::status $token] [http::error $token]"}
    puts "OK [http::ncode $token] [string length [http::data $token]]"
  } message]} {
    puts "ERR [string map {\n { }} $message]"
  }
}
exit 0
