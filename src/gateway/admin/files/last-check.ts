import { checkGatewayConfig } from '../../config/index.js';

/** What was found out about the text of a file that was looked at last: checking one of 200 models takes some 50 ms. */
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
