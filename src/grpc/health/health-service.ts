import { defineService, type GrpcService } from '../serving/service.js';
import { unknownService, type HealthStatuses } from './health-statuses.js';

/** `grpc.health.v1.Health`, for every client that may call any service. */
export function healthService(statuses: HealthStatuses): GrpcService {
  return defineService('grpc.health.v1.Health', 'any', {
    async Check({ request: { service } }) {
      const status = statuses.statusOf(service);
      if (status === undefined) throw unknownService(service);
      return { status };
    },
    List: async () => ({ statuses: statuses.all() }),
    async *Watch({ request: { service }, signal }) {
      for await (const status of statuses.watch(service, signal)) yield { status };
    },
  });
}
