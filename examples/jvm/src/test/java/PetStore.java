import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** A pet store: the image that the variable PET_STORE names, such as http://localhost:8080, or else the command. */
final class PetStore implements AutoCloseable {
  private static final Pattern PLACE = Pattern.compile("\"url\":\"(.+?)\",\"store\":\"(.+?)\"");

  /** The base URL for the client. */
  final String url;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process command;
  private final String address;

  PetStore() throws IOException {
    var image = System.getenv("PET_STORE");
    if (image != null) {
      command = null;
      url = image + "/v2";
      address = image + "/stores/pet-store-service";
      return;
    }
    command =
        new ProcessBuilder("npx", "pet-store-service", "--port", "0", "--json")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    var line = command.inputReader().readLine();
    var place = PLACE.matcher(String.valueOf(line));
    if (!place.find()) throw new IOException("The command printed: " + line);
    url = place.group(1);
    address = place.group(2);
  }

  /** Empties the store, and removes the rules for faults. */
  void reset() throws Exception {
    put("/data", "{\"data\":\"empty\"}");
    faults("[]");
  }

  /** Replaces the rules that change answers. */
  void faults(String rules) throws Exception {
    put("/faults", rules);
  }

  private void put(String path, String json) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(address + path))
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString(json))
            .build();
    HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
    if (answer.statusCode() >= 400) throw new IOException(answer.body());
  }

  @Override
  public void close() {
    if (command != null) command.destroy();
  }
}
