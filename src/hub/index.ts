// A hub of models over HTTP: its API, and a downloader that resumes. Knows no format and no artifact.
export type { FoundRepository, HubFile, HubModel } from './api/hub-api.js';
export type { Download } from './download/download-file.js';
export { MAP_SUFFIX } from './download/landing.js';
export { hubCodes } from './errors.js';
export type { Retry } from './http/retries.js';
export { openHub, type Hub, type HubTimes } from './hub.js';
export { readHubSettings, type Environment, type HubSettings } from './settings.js';
