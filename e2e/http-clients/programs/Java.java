// java -cp … Java CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.TimeUnit;

public class Java {
  static final int TIMEOUT = 3000;
  static final String BODY = "{\"name\":\"Rex\",\"photoUrls\":[]}";

  record Result(int status, String body) {}

  interface Client {
    Result call(String method, String url, Map<String, String> headers, String body, boolean limited) throws Exception;
  }

  static Client jdk() {
    var client = HttpClient.newHttpClient();
    return (method, url, headers, body, limited) -> {
      var request = HttpRequest.newBuilder(URI.create(url));
      headers.forEach(request::header);
      if (body != null) request.POST(HttpRequest.BodyPublishers.ofString(body));
      if (limited) request.timeout(Duration.ofMillis(TIMEOUT));
      var response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Result(response.statusCode(), response.body());
    };
  }

  static Client urlConnection() {
    return (method, url, headers, body, limited) -> {
      var connection = (HttpURLConnection) new URL(url).openConnection();
      headers.forEach(connection::setRequestProperty);
      if (limited) connection.setReadTimeout(TIMEOUT);
      if (body != null) {
        connection.setDoOutput(true);
        try (var out = connection.getOutputStream()) { out.write(body.getBytes()); }
      }
      int status = connection.getResponseCode();
      try (var in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
        return new Result(status, new String(in.readAllBytes()));
      }
    };
  }

  static Client apache4() {
    var client = org.apache.http.impl.client.HttpClients.createDefault();
    return (method, url, headers, body, limited) -> {
      var builder = org.apache.http.client.methods.RequestBuilder.create(method).setUri(url);
      headers.forEach(builder::setHeader);
      if (body != null) builder.setEntity(new org.apache.http.entity.StringEntity(body));
      var config = org.apache.http.client.config.RequestConfig.custom();
      if (limited) builder.setConfig(config.setSocketTimeout(TIMEOUT).build());
      try (var response = client.execute(builder.build())) {
        var content = org.apache.http.util.EntityUtils.toString(response.getEntity());
        return new Result(response.getStatusLine().getStatusCode(), content);
      }
    };
  }

  static Client apache5() {
    var client = org.apache.hc.client5.http.impl.classic.HttpClients.createDefault();
    return (method, url, headers, body, limited) -> {
      var builder = org.apache.hc.core5.http.io.support.ClassicRequestBuilder.create(method).setUri(url);
      headers.forEach(builder::setHeader);
      if (body != null) builder.setEntity(new org.apache.hc.core5.http.io.entity.StringEntity(body));
      var context = org.apache.hc.client5.http.protocol.HttpClientContext.create();
      var config = org.apache.hc.client5.http.config.RequestConfig.custom();
      if (limited) context.setRequestConfig(config.setResponseTimeout(TIMEOUT, TimeUnit.MILLISECONDS).build());
      return client.execute(builder.build(), context, (response) -> {
        var content = org.apache.hc.core5.http.io.entity.EntityUtils.toString(response.getEntity());
        return new Result(response.getCode(), content);
      });
    };
  }

  static Client okHttp() {
    var plain = new okhttp3.OkHttpClient();
    var impatient = plain.newBuilder().readTimeout(TIMEOUT, TimeUnit.MILLISECONDS).build();
    return (method, url, headers, body, limited) -> {
      var request = new okhttp3.Request.Builder().url(url).headers(okhttp3.Headers.of(headers));
      if (body != null) request.post(okhttp3.RequestBody.create(okhttp3.MediaType.parse("application/json"), body.getBytes()));
      try (var response = (limited ? impatient : plain).newCall(request.build()).execute()) {
        return new Result(response.code(), response.body().string());
      }
    };
  }

  static Client jetty() throws Exception {
    var client = new org.eclipse.jetty.client.HttpClient();
    client.start();
    return (method, url, headers, body, limited) -> {
      var request = client.newRequest(url).method(method);
      headers.forEach((name, value) -> { if (!name.equals("Content-Type")) request.header(name, value); });
      if (body != null) request.content(new org.eclipse.jetty.client.util.StringContentProvider("application/json", body, StandardCharsets.UTF_8));
      if (limited) request.timeout(TIMEOUT, TimeUnit.MILLISECONDS);
      var response = request.send();
      return new Result(response.getStatus(), response.getContentAsString());
    };
  }

  static Client client(String name) throws Exception {
    return switch (name) {
      case "HttpClient" -> jdk();
      case "HttpURLConnection" -> urlConnection();
      case "apache4" -> apache4();
      case "apache5" -> apache5();
      case "okhttp" -> okHttp();
      default -> jetty();
    };
  }

  static Result run(Client client, String step, String url) throws Exception {
    var headers = new HashMap<String, String>();
    if (step.equals("post") || step.equals("key")) headers.put("Content-Type", "application/json");
    if (step.equals("key")) headers.put("Idempotency-Key", "k1");
    return headers.isEmpty()
      ? client.call("GET", url, headers, null, step.equals("timeout"))
      : client.call("POST", url, headers, BODY, false);
  }

  public static void main(String[] args) throws Exception {
    var client = client(args[0]);
    for (int i = 1; i < args.length; i += 2) {
      try {
        if (args[i].equals("json")) {
          System.out.println("NA");
          continue;
        }
        var result = run(client, args[i], args[i + 1]);
        System.out.println("OK " + result.status() + " " + result.body().length());
      } catch (Throwable error) {
        System.out.println(("ERR " + error + " " + error.getCause()).replaceAll("\\s+", " "));
      }
    }
    System.exit(0);
  }
}
