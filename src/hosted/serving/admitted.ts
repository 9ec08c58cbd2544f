import type { Caller, PaidHold } from '../../billing/index.js';
import type { LiveRequest } from '../../relay-serving/index.js';
import type { RequestFacts } from '../../relay/index.js';
import type { RelayTarget } from '../upstreams/relay-target.js';
import type { ChosenModel } from './choose-model.js';
import type { HostedCall } from './hosted-route.js';

/** A request once its body was read. */
export interface PaidCall {
  readonly call: HostedCall<Uint8Array>;
  readonly target: RelayTarget;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly chosen: ChosenModel;
}

/** And once it was admitted. */
export interface AdmittedCall extends PaidCall {
  readonly hold: PaidHold;
  readonly live: LiveRequest;
}
