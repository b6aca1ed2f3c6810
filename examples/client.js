// The client that the examples test: it tries again if the service is not available.

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

  /** Each attempt has the same key, so that a pet is stored once, even if the first answer was lost. */
  async addPet(pet) {
    return this.#send("/pet", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
      body: JSON.stringify(pet),
    });
  }

  async #send(path, request) {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(this.#url + path, request);
      const body = await answer.json();
      if (answer.ok) return body;
      const mayPass = answer.status === 429 || answer.status === 503;
      if (!mayPass || attempt === this.#attempts) throw new Error(body.message, { cause: body });
      await sleep(Number(answer.headers.get("Retry-After") ?? 1));
    }
  }
}
