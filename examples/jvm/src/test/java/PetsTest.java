import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PetsTest {
  private static final String REX = "{\"id\":7,\"name\":\"Rex\",\"photoUrls\":[]}";

  private static PetStore store;
  private static PetClient client;

  @BeforeAll
  static void start() throws Exception {
    store = new PetStore();
    client = new PetClient(store.url);
  }

  @BeforeEach
  void reset() throws Exception {
    store.reset();
  }

  @AfterAll
  static void stop() {
    if (store != null) store.close();
  }

  @Test
  void findsAPetThatItAdded() throws Exception {
    assertEquals(200, client.addPet(REX).statusCode());
    assertEquals(REX, client.findPet(7).body());
  }

  @Test
  void beginsWithAnEmptyStore() throws Exception {
    assertEquals(404, client.findPet(7).statusCode());
  }

  @Test
  void repeatsALookUpThatIsUnavailable() throws Exception {
    client.addPet(REX);
    store.faults("[{\"operationId\":\"getPetById\",\"times\":1,\"status\":503}]");
    assertEquals(200, client.findPet(7).statusCode());
    store.faults("[{\"operationId\":\"getPetById\",\"times\":2,\"status\":503}]");
    assertEquals(503, client.findPet(7).statusCode());
  }
}
