import { createKeySecret } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { operation } from './operation.js';

/** A new admin token, which takes the place of the one before. It is in this answer and nowhere else. */
export const createAdminToken = operation({
  params: Type.Object({}),
  async run({ meter, by }) {
    const { secret, hash } = createKeySecret('gwa');
    await meter.adminToken.set(hash, by);
    return { secret };
  },
});
