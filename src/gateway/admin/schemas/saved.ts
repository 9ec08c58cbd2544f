import { Type } from '../../../schema/index.js';
import { orNull } from './paging.js';

/** The result of a change of gateway.yaml. `in_use`: the gateway runs with it; otherwise `refused` says why not. */
export const Saved = Type.Object({
  config_etag: Type.String(),
  in_use: Type.Boolean(),
  refused: orNull(Type.String()),
  needs_restart: Type.Array(Type.String({ description: 'Fields that the next start takes up.' })),
});
