// The client under test in the examples. It retries if the service is busy or unavailable.

const sleep = async (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

export class PetClient {
  #url;
  #attempts;

  constructor(url, { attempts = 3 } = {}) {
    this.#url = url;
    this.#attempts = attempts;
  }

  async findPet(id) {
    return this.#send(`/pet/${id}`, { method: "GET" });
  }

  /** Every attempt sends the same key, so the pet is added once, even if the first response is lost. */
  async addPet(pet) {
    return this.#send("/pet", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
      body: JSON.stringify(pet),
    });
  }

  async #send(path, request) {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(this.#url + path, request);
      const body = await response.json();
      if (response.ok) return body;
      const mayPass = response.status === 429 || response.status === 503;
      if (!mayPass || attempt === this.#attempts) throw new Error(body.message, { cause: body });
      await sleep(Number(response.headers.get("Retry-After") ?? 1));
    }
  }
}
