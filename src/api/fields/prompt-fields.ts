import { Type } from '../../schema/index.js';
import { CacheSalt } from './cache-salt.js';
import { thinkingFields } from './thinking-fields.js';

/** Fields of every conversation, whatever the dialect: what its prompt may hold, who shares it, and thinking. */
export const promptFields = {
  /** true: the text of a control token in messages and tools is that token, as for trusted prompts. Default false: it is text. */
  parse_special: Type.Optional(Type.Boolean()),
  /** true: what the model's template makes no use of (tools, a role, thinking) is left out. Default false: it is refused. */
  drop_unsupported: Type.Optional(Type.Boolean()),
  cache_salt: Type.Optional(CacheSalt),
  ...thinkingFields,
};
