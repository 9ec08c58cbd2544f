import { createKeySecret } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { operation } from './operation.js';

/** A new admin token, which replaces the one before. Only this answer contains it. */
export const createAdminToken = operation({
  params: Type.Object({}),
  async run({ meter, by }) {
    const { secret, hash } = createKeySecret('gwa');
    await meter.adminToken.set(hash, by);
    return { secret };
  },
});
