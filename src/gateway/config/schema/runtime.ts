import { Type, type Static } from '../../../schema/index.js';
import { annotate, secretReference, strict } from '../../../yaml-file/index.js';
import { runtimeKindNames } from '../runtime-kinds.js';
import { runtimeId } from './texts.js';

const apiKey = secretReference({
  description: 'What the gateway sends this runtime as its Bearer token.',
  reader: 'the gateway',
  file: 'gateway.yaml',
});

/** A model server. */
export const Runtime = Type.Object(
  {
    id: runtimeId('The name of this runtime within the file.'),
    kind: Type.Enum(
      [...runtimeKindNames],
      annotate('What server it is: decides how it is probed, metered and asked for its cache.'),
    ),
    base_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      ...annotate('Where it answers, without `/v1`.', {
        expected: 'an address such as http://127.0.0.1:8000',
        check: 'baseUrl',
      }),
    }),
    api_key: Type.Optional(apiKey),
    fingerprint: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,256}$',
        ...annotate('The fingerprint of the approved runtime. A runtime with a different fingerprint is refused.', {
          expected: 'a fingerprint as discovery writes it',
        }),
      }),
    ),
    metering: Type.Enum(['inject', 'observe'], {
      default: 'inject',
      ...annotate(
        '`inject` asks the runtime for usage in each stream of chunks; one that refuses the question is not asked for an ' +
          'hour. `observe` does not ask; what a stream does not tell is estimated, and marked so.',
      ),
    }),
    translate: Type.Boolean({
      default: true,
      ...annotate(
        'Requests by `/v1/messages` and `/v1/responses` are translated to chat completions where this runtime lacks those APIs.',
      ),
    }),
  },
  { ...strict, ...annotate('A model server.', { title: 'a runtime' }) },
);
export type Runtime = Static<typeof Runtime>;
