import { Type } from '../../schema/index.js';
import { CacheSalt } from './cache-salt.js';
import { thinkingFields } from './thinking-fields.js';

/** Fields of every conversation, whatever the dialect: control tokens in the prompt, the scope of its cache, and thinking. */
export const promptFields = {
  /**
   * true: the text of a control token in messages and tools becomes that token, as in trusted prompts. Default false:
   * it is text.
   */
  parse_special: Type.Optional(Type.Boolean()),
  /**
   * true: fields that the model's template does not use (tools, a role, thinking) are left out. Default false: they are
   * refused.
   */
  drop_unsupported: Type.Optional(Type.Boolean()),
  cache_salt: Type.Optional(CacheSalt),
  ...thinkingFields,
};
