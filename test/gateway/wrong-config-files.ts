import { readFileSync } from 'node:fs';

/** A text that is no usable gateway.yaml, and what is said of it. */
export interface WrongFile {
  readonly name: string;
  readonly text: string;
  /** The whole message of the error. */
  readonly message: string;
}

/** The cases of test/vectors/gateway-config. */
export function readWrongFiles(): readonly WrongFile[] {
  const cases = readFileSync('test/vectors/gateway-config/wrong-files.txt', 'utf8').split(/^=== /m).slice(1);
  return cases.map((each) => {
    const [head = '', message = ''] = each.split(/^~~~\n/m);
    const name = head.split('\n', 1)[0] ?? '';
    return { name, text: head.slice(name.length + 1), message: message.trimEnd() };
  });
}
