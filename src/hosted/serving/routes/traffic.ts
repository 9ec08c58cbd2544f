import { TrafficSeries } from '../../../api/index.js';
import { createQueryReader } from '../../../endpoint/index.js';
import { Type } from '../../../schema/index.js';
import { reportTraffic, trafficFields } from '../../reports/traffic-report.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

const Query = Type.Object(trafficFields);
const readQuery = createQueryReader(Query);

/** `GET /v1/usage/series`: requests of the key's account over time. */
export const traffic: HostedRoute = {
  method: 'GET',
  path: '/v1/usage/series',
  summary: 'Counts requests of the account by hour or day: outcomes, durations and costs.',
  query: Query,
  response: TrafficSeries,
  before: authenticate,
  async handle({ request, context, record }) {
    const asked = { ...readQuery(request.query), accountId: callerOf(record).account.id };
    const { series } = await reportTraffic(context.billing.requests, asked, context.now());
    return hostedResponse(context.serviceId, series, { 'cache-control': 'no-store' });
  },
};
