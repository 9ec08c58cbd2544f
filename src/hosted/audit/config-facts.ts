import { toFileFacts, type FileFacts } from '../../metering/index.js';
import type { HostedConfig } from '../config/index.js';

/** A hosted.yaml as the audit log compares it. */
export function configFacts(config: HostedConfig): FileFacts {
  return toFileFacts(config, ['providers']);
}
