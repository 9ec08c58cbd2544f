import { defineService, type GrpcService } from '../serving/service.js';
import { unknownService, type HealthBoard } from './health-board.js';

/** `grpc.health.v1.Health`, for every client that may call any service. */
export function healthService(board: HealthBoard): GrpcService {
  return defineService('grpc.health.v1.Health', 'any', {
    async Check({ request: { service } }) {
      const status = board.statusOf(service);
      if (status === undefined) throw unknownService(service);
      return { status };
    },
    List: async () => ({ statuses: board.all() }),
    async *Watch({ request: { service }, signal }) {
      for await (const status of board.watch(service, signal)) yield { status };
    },
  });
}
