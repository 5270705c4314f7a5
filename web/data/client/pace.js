// Changes at a pace that people can follow: the first one after a pause at once, further ones collected.

/** Milliseconds between two times that changes are shown. */
const INTERVAL = 500;

/** Collects changed runs, and publishes them: at once if nothing was published for a while, else when it is over. */
export class PacedChanges {
  /** @type {Set<string>} */
  #runs = new Set();
  #publishedAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** @param {(runs: string[]) => void} publish @param {() => number} [now] milliseconds */
  constructor(publish, now = () => performance.now()) {
    this.publish = publish;
    this.now = now;
  }

  /** @param {readonly string[]} runs none: something else has changed */
  add(runs) {
    for (const run of runs) this.#runs.add(run);
    if (this.#timer !== undefined) return;
    const rest = this.#publishedAt + INTERVAL - this.now();
    if (rest > 0) this.#timer = setTimeout(() => this.#publish(), rest);
    else this.#publish();
  }

  #publish() {
    this.#timer = undefined;
    this.#publishedAt = this.now();
    const runs = [...this.#runs];
    this.#runs.clear();
    this.publish(runs);
  }
}
