/** Decides how many pictures a second this device records. */

const usual = 24;
const reduced = 15;
/** How many pictures are counted to see how many of them the encoder was too busy for. */
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

  /** A picture was due. It was encoded, or skipped because the encoder was busy. */
  due(wasTaken: boolean): void {
    this.#seen += 1;
    if (!wasTaken) this.#missed += 1;
    if (this.#seen < looked) return;
    if (this.#missed / this.#seen > tooMany) this.#perSecond = reduced;
    this.#seen = 0;
    this.#missed = 0;
  }
}
