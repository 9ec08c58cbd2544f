// A model of a hub becomes one of the store: which files, what it takes, downloads, conversion.
export { searchAndAssess, type Assessed } from './assess.js';
export type { PullEstimate } from './estimate.js';
export { pullCodes } from './errors.js';
export type { OnPullEvent, PullEvent } from './pull-events.js';
export { createPuller, type Puller, type PullerOptions, type WaitForPull } from './puller.js';
export { pullModel, type HubReference, type Pulled, type PullOptions } from './pull-model.js';
