// cpp CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/StreamCopier.h>
#include <functional>
#include <httplib.h>
#include <iostream>
#include <map>
#include <ne_request.h>
#include <ne_session.h>
#include <ne_socket.h>
#include <ne_utils.h>

constexpr int TIMEOUT = 3;
const std::string BODY = R"({"name":"Rex","photoUrls":[]})";
using Headers = std::map<std::string, std::string>;
using Result = std::pair<int, std::string>;
using Call = std::function<Result(const std::string &path, const Headers &, bool posts, bool limited)>;

Call cppHttplib(const std::string &host, int port) {
  auto client = std::make_shared<httplib::Client>(host, port);
  client->set_keep_alive(true);
  return [client](const std::string &path, const Headers &headers, bool posts, bool limited) -> Result {
    httplib::Headers sent(headers.begin(), headers.end());
    sent.erase("Content-Type");
    if (limited) client->set_read_timeout(TIMEOUT);
    auto result = posts ? client->Post(path, sent, BODY, "application/json") : client->Get(path, sent);
    if (!result) throw std::runtime_error(httplib::to_string(result.error()));
    return {result->status, result->body};
  };
}

Call poco(const std::string &host, int port) {
  auto session = std::make_shared<Poco::Net::HTTPClientSession>(host, port);
  return [session](const std::string &path, const Headers &headers, bool posts, bool limited) -> Result {
    Poco::Net::HTTPRequest request(posts ? "POST" : "GET", path, Poco::Net::HTTPMessage::HTTP_1_1);
    for (auto &[name, value] : headers) request.set(name, value);
    if (posts) request.setContentLength(BODY.size());
    if (limited) session->setTimeout(Poco::Timespan(TIMEOUT, 0));
    auto &out = session->sendRequest(request);
    if (posts) out << BODY;
    Poco::Net::HTTPResponse response;
    std::string content;
    Poco::StreamCopier::copyToString(session->receiveResponse(response), content);
    return {response.getStatus(), content};
  };
}

Call neon(const std::string &host, int port) {
  ne_sock_init();
  auto *session = ne_session_create("http", host.c_str(), port);
  return [session](const std::string &path, const Headers &headers, bool posts, bool limited) -> Result {
    auto *request = ne_request_create(session, posts ? "POST" : "GET", path.c_str());
    for (auto &[name, value] : headers) ne_add_request_header(request, name.c_str(), value.c_str());
    if (posts) ne_set_request_body_buffer(request, BODY.data(), BODY.size());
    if (limited) ne_set_read_timeout(session, TIMEOUT);
    std::string content;
    auto append = [](void *to, const char *part, size_t size) {
      static_cast<std::string *>(to)->append(part, size);
      return 0;
    };
    ne_add_response_body_reader(request, ne_accept_always, append, &content);
    if (ne_request_dispatch(request) != NE_OK) throw std::runtime_error(ne_get_error(session));
    return {ne_get_status(request)->code, content};
  };
}

int main(int count, char **args) {
  const std::string name = args[1], first = args[3];
  const auto colon = first.find(':', 7), slash = first.find('/', 7);
  const auto host = first.substr(7, colon - 7);
  const int port = std::stoi(first.substr(colon + 1));
  const auto call = name == "httplib" ? cppHttplib(host, port) : name == "poco" ? poco(host, port) : neon(host, port);
  for (int i = 2; i < count; i += 2) {
    const std::string step = args[i], path = std::string(args[i + 1]).substr(slash);
    const bool posts = step == "post" || step == "key";
    Headers headers;
    if (posts) headers["Content-Type"] = "application/json";
    if (step == "key") headers["Idempotency-Key"] = "k1";
    try {
      if (step == "json") {
        std::cout << "NA" << std::endl;
        continue;
      }
      auto [status, content] = call(path, headers, posts, step == "timeout");
      std::cout << "OK " << status << " " << content.size() << std::endl;
    } catch (std::exception &error) {
      std::cout << "ERR " << error.what() << std::endl;
    }
  }
  std::_Exit(0);
}
