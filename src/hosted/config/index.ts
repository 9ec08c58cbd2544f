// hosted.yaml: its schema, its reader, its file and the watcher of its changes.
export type { DatabaseConfig, HostedConfig, ProviderConfig, ProviderPathConfig } from './hosted-config.js';
export { HostedFile } from './hosted-file.js';
export { checkHostedConfig, parseHostedConfig } from './parse-hosted-config.js';
export { createHostedFile, readHostedText, watchHostedConfig, type HostedOutcome } from './watch-hosted-config.js';
