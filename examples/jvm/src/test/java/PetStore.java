import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** A sandbox of the server that the variable PET_STORE names, such as http://localhost:8080, or else of one that this starts. */
final class PetStore implements AutoCloseable {
  /** The base URL for the client. */
  final String url;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process server;
  private final String sandbox;

  PetStore() throws Exception {
    var running = System.getenv("PET_STORE");
    server = running == null ? start() : null;
    var sandboxes =
        running == null
            ? memberOf(server.inputReader().readLine(), "sandboxes")
            : running + "/sandboxes";
    sandbox = sandboxes + "/" + memberOf(send("POST", sandboxes, "{}"), "name");
    url = sandbox + "/v2";
  }

  private static Process start() throws IOException {
    return new ProcessBuilder("npx", "--no-install", "pet-store-service", "--port", "0", "--json")
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String memberOf(String json, String name) throws IOException {
    var found = Pattern.compile("\"" + name + "\":\"(.+?)\"").matcher(String.valueOf(json));
    if (!found.find()) throw new IOException(name + " is not in " + json);
    return found.group(1);
  }

  /** Empties the store, and removes the rules for faults. */
  void reset() throws Exception {
    send("PUT", sandbox + "/data", "{\"data\":\"empty\"}");
    faults("[]");
  }

  /** Replaces the rules that change responses. */
  void faults(String rules) throws Exception {
    send("PUT", sandbox + "/faults", rules);
  }

  private String send(String method, String address, String json) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(address))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(json))
            .build();
    var response = http.send(request, BodyHandlers.ofString());
    if (response.statusCode() >= 400) throw new IOException(response.body());
    return response.body();
  }

  @Override
  public void close() {
    if (server != null) server.destroy();
  }
}
