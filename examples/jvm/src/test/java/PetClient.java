import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** The client under test. It repeats a look-up that is unavailable, once. */
record PetClient(String url) {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  HttpResponse<String> addPet(String json) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(url + "/pet"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build();
    return HTTP.send(request, BodyHandlers.ofString());
  }

  HttpResponse<String> findPet(long id) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url + "/pet/" + id)).build();
    var response = HTTP.send(request, BodyHandlers.ofString());
    return response.statusCode() == 503 ? HTTP.send(request, BodyHandlers.ofString()) : response;
  }
}
