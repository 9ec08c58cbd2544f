// A model of a hub becomes one of the store: which files, what it takes, downloads, conversion.
export type { PullEstimate } from './estimate.js';
export { pullCodes } from './errors.js';
export type { OnPullEvent, PullEvent } from './pull-events.js';
export { pullModel, type HubReference, type Pulled, type PullOptions } from './pull-model.js';
