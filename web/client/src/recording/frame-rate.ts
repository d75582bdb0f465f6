/** How many pictures a second a recording has, as far as the device can encode them. */

const usual = 24;
const reduced = 15;
/** Over how many pictures it is looked at how many the encoder was too busy for. */
const looked = 120;
const tooMany = 0.2;

/** Falls back to fewer pictures once, when the device cannot keep up, and stays there. */
export class FrameRate {
  #perSecond = usual;
  #seen = 0;
  #missed = 0;

  get perSecond(): number {
    return this.#perSecond;
  }

  /** A picture was due, and was taken, or left out because the encoder was busy. */
  due(wasTaken: boolean): void {
    this.#seen += 1;
    if (!wasTaken) this.#missed += 1;
    if (this.#seen < looked) return;
    if (this.#missed / this.#seen > tooMany) this.#perSecond = reduced;
    this.#seen = 0;
    this.#missed = 0;
  }
}
