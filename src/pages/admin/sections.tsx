import type { Section } from '../kit/index.js';
import { AuditSection } from './audit/audit-section.js';
import { ConfigurationSection } from './configuration/configuration-section.js';
import { DetectionSection } from './detection/detection-section.js';
import { KeysSection } from './keys/keys-section.js';
import { MetricsSection } from './metrics/metrics-section.js';
import { ModelsSection } from './models/models-section.js';
import { OverviewSection } from './overview/overview-section.js';
import { RequestsSection } from './requests/requests-section.js';
import { SystemSection } from './system/system-section.js';

/** The sections of the page, in order. */
export const sections: readonly Section[] = [
  { path: '/', title: 'Overview', icon: 'overview', view: OverviewSection },
  { path: '/keys', title: 'Virtual keys', icon: 'key', view: KeysSection },
  { path: '/models', title: 'Models', icon: 'model', view: ModelsSection },
  { path: '/runtimes', title: 'Runtime detection', icon: 'radar', view: DetectionSection },
  { path: '/requests', title: 'Requests', icon: 'requests', view: RequestsSection },
  { path: '/configuration', title: 'Configuration', icon: 'file', view: ConfigurationSection },
  { path: '/audit', title: 'Audit', icon: 'audit', view: AuditSection },
  { path: '/metrics', title: 'Metrics', icon: 'metrics', view: MetricsSection },
  { path: '/system', title: 'System', icon: 'system', view: SystemSection },
];
