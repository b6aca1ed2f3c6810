#!/usr/bin/env bash
# Installs the HTTP clients from npm and, as root, from Debian 12, and compiles the programs into dist/http-clients.
set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive
debian=(
  curl wget wget2 httpie aria2 busybox
  python3-requests python3-httpx python3-aiohttp python3-httplib2 python3-tornado python3-pycurl
  libwww-perl libmojolicious-perl libfurl-perl
  ruby ruby-faraday ruby-httparty ruby-rest-client ruby-excon ruby-httpclient ruby-http ruby-typhoeus
  php-cli php-curl php-guzzlehttp-guzzle php-symfony-http-client
  golang-go golang-github-hashicorp-go-retryablehttp-dev golang-github-go-resty-resty-dev
  openjdk-17-jdk-headless libhttpclient-java libhttpclient5-java libokhttp-java libjetty9-java libjetty9-extra-java libslf4j-java
  g++ pkg-config libneon27-dev libpoco-dev libcpp-httplib-dev libssl-dev
  erlang-inets lua5.3 lua-socket tcl swi-prolog-nox guile-3.0 sbcl cl-drakma emacs-nox r-base-core r-cran-httr r-cran-httr2
  nim crystal racket
)
if ! dpkg --status "${debian[@]}" &>/dev/null; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${debian[@]}" >/dev/null
fi
npm ci --no-audit --no-fund

out=../../dist/http-clients
mkdir -p "$out"
GO111MODULE=off GOPATH=/usr/share/gocode /usr/bin/go build -o "$out/go" programs/go.go
# shellcheck disable=SC2046
g++ -O0 -w -I/usr/include/neon $(pkg-config --cflags cpp-httplib) -o "$out/cpp" programs/cpp.cpp \
  -lcpp-httplib -lPocoNet -lPocoFoundation -lneon -lssl -lcrypto -lpthread
nim c --hints:off --warnings:off --nimcache:"$out/nimcache" -o:"$out/nim" programs/nim.nim
crystal build -o "$out/crystal" programs/crystal.cr
javac -d "$out" -cp "/usr/share/java/*" programs/Java.java
# Compiles drakma, which SBCL then loads from its cache.
sbcl --script programs/lisp.lisp -- >/dev/null || true
