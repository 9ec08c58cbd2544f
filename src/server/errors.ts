import type { CodeTable } from '../base/index.js';

/** Codes of the engine on the network. */
export const serverCodes = {
  engine_config_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'there is no engine.json at the given path, or it cannot be read',
  },
  engine_config_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'engine.json cannot be used: each mistake is listed with its line, its column and its field',
  },
  start_refused: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'what engine.json says is not safe to start with, or its artifact is not trusted; nothing listens',
  },
  hub_missing: {
    who: 'operator',
    kind: 'unimplemented',
    when: 'a client asks the server to push or create a model, which it cannot do yet',
  },
} as const satisfies CodeTable;
