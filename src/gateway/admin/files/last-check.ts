import { checkGatewayConfig } from '../../config/index.js';

/** The result of the last check of a text. Checking a file of 200 models takes some 50 ms. */
export class LastCheck {
  #text: string | undefined;
  #found: ReturnType<typeof checkGatewayConfig> | undefined;

  /** As `checkGatewayConfig`. */
  check(text: string): ReturnType<typeof checkGatewayConfig> {
    if (this.#found === undefined || this.#text !== text) this.#found = checkGatewayConfig(text);
    this.#text = text;
    return this.#found;
  }
}
