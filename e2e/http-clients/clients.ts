// The clients: how each is run, and which package states its version.
import { join } from "node:path";

const HERE = import.meta.dirname;
const BUILT = join(HERE, "../../dist/http-clients");
const BIN = join(HERE, "node_modules/.bin");

/** What a client is asked to do, in this order and, if it has one, with the same client object. */
export type Step = readonly [action: "get" | "post" | "key" | "json" | "timeout", url: string];

export interface Client {
  readonly language: string;
  /** A Debian package, or `npm:` and an npm package. */
  readonly package: string;
  /** The command line; `undefined` if the client cannot perform these steps. */
  readonly command: (steps: readonly Step[]) => readonly string[] | undefined;
  /** Whether its exit status alone tells how the last step ended. */
  readonly isCommand?: boolean;
  /** Whether it may wait for minutes, because it pauses between 20 attempts. */
  readonly isPatient?: boolean;
}

/** A client that one of the programs here calls. */
function program(language: string, packageName: string, ...command: readonly string[]): Client {
  return { language, package: packageName, command: (steps) => [...command, ...steps.flat()] };
}

const path = (name: string) => join(HERE, "programs", name);
const node = (name: string, packageName: string) => program("JavaScript", packageName, "node", path("node.mjs"), name);
// Not the Python of a version manager, which lacks Debian's packages.
const python = (name: string, packageName: string) =>
  program("Python", packageName, "/usr/bin/python3", path("python.py"), name);
const perl = (name: string, packageName: string) =>
  program("Perl", packageName, "/usr/bin/perl", path("perl.pl"), name);
const ruby = (name: string, packageName: string) =>
  program("Ruby", packageName, "/usr/bin/ruby", path("ruby.rb"), name);
const php = (name: string, packageName: string) => program("PHP", packageName, "/usr/bin/php", path("php.php"), name);
const go = (name: string, packageName: string) => program("Go", packageName, join(BUILT, "go"), name);
const cpp = (name: string, packageName: string) => program("C and C++", packageName, join(BUILT, "cpp"), name);
const r = (name: string, packageName: string) => program("R", packageName, "Rscript", path("r.R"), name);
const java = (name: string, packageName: string) =>
  program("Java", packageName, "/usr/bin/java", "-cp", `${BUILT}:/usr/share/java/*`, "Java", name);

const BODY = '{"name":"Rex","photoUrls":[]}';
const TYPE = "Content-Type: application/json";

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Runs command lines one after the other. The exit status is that of the last one. */
function shell(commands: readonly (readonly string[])[]): readonly string[] {
  return ["bash", "-c", commands.map((command) => command.map(quoted).join(" ")).join("\n")];
}

/** `--header` and `--post-data` mean the same in three programs. */
function wget(packageName: string, command: readonly string[], timeout?: readonly string[]): Client {
  const argsOf = ([action, url]: Step) => {
    const posts = action === "post" || action === "key";
    const key = action === "key" ? ["--header", "Idempotency-Key: k1"] : [];
    const post = posts ? ["--header", TYPE, ...key, "--post-data", BODY] : [];
    return [...(action === "timeout" && timeout ? timeout : []), ...post, url];
  };
  return {
    language: "Shell",
    package: packageName,
    isCommand: true,
    isPatient: packageName !== "busybox",
    command(steps) {
      if (steps.some(([action]) => action === "json" || (action === "timeout" && !timeout))) return undefined;
      // All URLs of one command line are requested in the same way.
      const isUniform = packageName !== "busybox" && steps.every(([action]) => action === "get");
      if (isUniform) return [...command, ...steps.map(([, url]) => url)];
      return shell(steps.map((step) => [...command, ...argsOf(step)]));
    },
  };
}

const curl: Client = {
  language: "Shell",
  package: "curl",
  isCommand: true,
  command(steps) {
    if (steps.some(([action]) => action === "json")) return undefined;
    const transfers = steps.map(([action, url]) => {
      const key = action === "key" ? ["-H", "Idempotency-Key: k1"] : [];
      const post = action === "post" || action === "key" ? ["-H", TYPE, ...key, "-d", BODY] : [];
      return ["-sS", ...(action === "timeout" ? ["--max-time", "3"] : []), ...post, url];
    });
    return ["/usr/bin/curl", ...transfers.flatMap((args, i) => (i > 0 ? ["--next", ...args] : args))];
  },
};

const httpie: Client = {
  language: "Shell",
  package: "httpie",
  isCommand: true,
  command(steps) {
    if (steps.some(([action]) => action === "json")) return undefined;
    return shell(
      steps.map(([action, url]) => {
        const posts = action === "post" || action === "key";
        const more = action === "timeout" ? ["--timeout=3"] : [];
        const post = posts ? ["Content-Type:application/json", "--raw", BODY] : [];
        const key = action === "key" ? ["Idempotency-Key:k1"] : [];
        const options = ["--ignore-stdin", "--session=./session.json", ...more];
        return ["/usr/bin/http", ...options, posts ? "POST" : "GET", url, ...key, ...post];
      }),
    );
  },
};

const aria2: Client = {
  language: "Shell",
  package: "aria2",
  isCommand: true,
  command(steps) {
    if (steps.some(([action]) => action !== "get" && action !== "timeout")) return undefined;
    const timeout = steps.some(([action]) => action === "timeout") ? ["--timeout=3"] : [];
    return ["aria2c", "-q", "-j1", "-Z", ...timeout, ...steps.map(([, url]) => url)];
  },
};

/** By the names in raw-server.tsv. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  "curl 7.88": curl,
  "wget 1.21": wget("wget", ["/usr/bin/wget", "-nv", "-O", "-"], ["--timeout=3"]),
  "wget2 1.99": wget("wget2", ["wget2", "-nv", "-O", "-", "--max-threads=1"], ["--timeout=3"]),
  "HTTPie 3.2": httpie,
  "aria2 1.36": aria2,
  "busybox wget 1.35": wget("busybox", ["busybox", "wget", "-q", "-O", "-"]),
  "Python urllib.request 3.11": python("urllib", "python3.11"),
  "requests 2.28": python("requests", "python3-requests"),
  "httpx 0.23": python("httpx", "python3-httpx"),
  "aiohttp 3.8": python("aiohttp", "python3-aiohttp"),
  "httplib2 0.20": python("httplib2", "python3-httplib2"),
  "tornado 6.2": python("tornado", "python3-tornado"),
  "pycurl 7.45": python("pycurl", "python3-pycurl"),
  "Perl LWP 6.68": perl("LWP", "libwww-perl"),
  "HTTP::Tiny (perl 5.36)": perl("Tiny", "perl"),
  "Mojo::UserAgent 9.31": perl("Mojo", "libmojolicious-perl"),
  "Furl 3.14": perl("Furl", "libfurl-perl"),
  "Ruby Net::HTTP 3.1": ruby("net/http", "ruby3.1"),
  "Faraday 1.1": ruby("faraday", "ruby-faraday"),
  "HTTParty 0.21": ruby("httparty", "ruby-httparty"),
  "RestClient 2.1": ruby("rest-client", "ruby-rest-client"),
  "Excon 0.88": ruby("excon", "ruby-excon"),
  "httpclient 2.8.3": ruby("httpclient", "ruby-httpclient"),
  "http.rb 4.4": ruby("http", "ruby-http"),
  "Typhoeus 1.4": ruby("typhoeus", "ruby-typhoeus"),
  "PHP 8.2 file_get_contents": php("file_get_contents", "php8.2-cli"),
  "PHP curl": php("curl", "php8.2-curl"),
  "Guzzle 7.4": php("guzzle", "php-guzzlehttp-guzzle"),
  "Symfony HttpClient 5.4": php("symfony", "php-symfony-http-client"),
  "Go 1.19 net/http": go("net/http", "golang-1.19-go"),
  "go-retryablehttp 0.7.1": go("retryablehttp", "golang-github-hashicorp-go-retryablehttp-dev"),
  "resty 2.6": go("resty", "golang-github-go-resty-resty-dev"),
  "Java 17 HttpClient": java("HttpClient", "openjdk-17-jdk-headless"),
  "Java HttpURLConnection": java("HttpURLConnection", "openjdk-17-jdk-headless"),
  "Apache HttpClient 4.5.14": java("apache4", "libhttpclient-java"),
  "Apache HttpClient 5.2.1": java("apache5", "libhttpclient5-java"),
  "OkHttp 3.13": java("okhttp", "libokhttp-java"),
  "Jetty client 9.4": java("jetty", "libjetty9-extra-java"),
  "Erlang 25 httpc": program("Erlang", "erlang-inets", "escript", path("erlang.escript")),
  "Lua socket.http 3.1": program("Lua", "lua-socket", "lua5.3", path("lua.lua")),
  "Tcl 8.6 http": program("Tcl", "tcl8.6", "/usr/bin/tclsh", path("tcl.tcl")),
  "Emacs 28 url.el": program("Emacs Lisp", "emacs-nox", "emacs", "-Q", "--batch", "-l", path("emacs.el")),
  "R 4.2 download.file": r("download.file", "r-base-core"),
  "R httr 1.4.5": r("httr", "r-cran-httr"),
  "R httr2 0.2.2": r("httr2", "r-cran-httr2"),
  "Nim 1.6 httpclient": program("Nim", "nim", join(BUILT, "nim")),
  "Crystal 1.6 HTTP::Client": program("Crystal", "crystal", join(BUILT, "crystal")),
  "Racket 8.7 net/url": program("Racket", "racket", "racket", path("racket.rkt")),
  "Guile 3.0 (web client)": program("Scheme", "guile-3.0", "guile", "--no-auto-compile", "-s", path("guile.scm")),
  "SBCL drakma 2.0.8": program("Common Lisp", "cl-drakma", "sbcl", "--script", path("lisp.lisp"), "--"),
  "neon 0.32": cpp("neon", "libneon27"),
  "POCO 1.11": cpp("poco", "libpoco-dev"),
  "cpp-httplib 0.11": cpp("httplib", "libcpp-httplib-dev"),
  "SWI-Prolog 9.0 http_open": program("Prolog", "swi-prolog-nox", "swipl", path("prolog.pl")),
  "Node.js fetch": node("fetch", "npm:node"),
  "undici request": node("undici", "npm:undici"),
  axios: node("axios", "npm:axios"),
  got: node("got", "npm:got"),
  ky: node("ky", "npm:ky"),
  superagent: node("superagent", "npm:superagent"),
  needle: node("needle", "npm:needle"),
  "node-fetch": node("node-fetch", "npm:node-fetch"),
  ofetch: node("ofetch", "npm:ofetch"),
  "Deno fetch": program("JavaScript", "npm:deno", join(BIN, "deno"), "run", "-A", "--quiet", path("node.mjs"), "fetch"),
  "Bun fetch": program("JavaScript", "npm:bun", join(BIN, "bun"), "run", path("node.mjs"), "fetch"),
};
