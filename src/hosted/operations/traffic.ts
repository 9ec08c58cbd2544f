import { AppError } from '../../base/index.js';
import { showCounts } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { reportTraffic, trafficFields } from '../reports/traffic-report.js';
import { Id, operation } from './operation.js';

/** Statuses and error codes of one answer. */
const MAX_COUNTS = 20;

/**
 * Requests over time, of one account, one provider, one model of it, or of all: how they ended, how long they took, and what they
 * cost. Codes are those of requests that were refused, and of answers that broke off. Errors: `invalid_value`.
 */
export const showTraffic = operation({
  params: Type.Object({
    account_id: Type.Optional(Id),
    provider: Type.Optional(Type.String({ maxLength: 64 })),
    model: Type.Optional(Type.String({ maxLength: 300, description: 'of provider' })),
    ...trafficFields,
  }),
  async run({ billing, now }, { account_id: accountId, provider, model, ...asked }) {
    if (model !== undefined && provider === undefined)
      throw new AppError('invalid_value', 'a model is one of a provider; send provider too', { param: 'provider' });
    if (accountId !== undefined && provider !== undefined)
      throw new AppError('invalid_value', 'a chart is of one account, or of one provider; send one of them', {
        param: 'account_id',
      });
    // What ended just now is in it.
    await billing.tick();
    const subject = {
      ...(accountId !== undefined && { accountId }),
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
    };
    const { series, total } = await reportTraffic(billing.requests, { ...subject, ...asked }, now());
    return {
      ...series,
      statuses: showCounts(total.statuses, 'status', MAX_COUNTS),
      codes: showCounts(total.codes, 'error_code', MAX_COUNTS),
    };
  },
});
