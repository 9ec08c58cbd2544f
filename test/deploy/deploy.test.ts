import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { helm, lintCompose, validateManifest, whyNoLinters, type Manifest } from './linters.js';

const CHART = 'deploy/helm/hosted-api';
const lintedIt = whyNoLinters === undefined ? it : it.skip;
const named = (name: string): string => (whyNoLinters === undefined ? name : `${name} (skipped: ${whyNoLinters})`);

/** The objects of the chart. */
function render(...sets: string[]): readonly Manifest[] {
  const text = helm('template', 'suite', CHART, '--kube-version', '1.31.0', ...sets.flatMap((set) => ['--set', set]));
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

function find(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

interface Container {
  readonly image: string;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: { readonly limits: Readonly<Record<string, unknown>> };
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: boolean }[];
}

interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
}

function podOf(manifests: readonly Manifest[]): PodSpec {
  return (find(manifests, 'Deployment').spec as { template: { spec: PodSpec } }).template.spec;
}

describe('the Helm chart', () => {
  lintedIt(named('has no fault for helm'), () => {
    expect(helm('lint', '--strict', CHART)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  lintedIt(named('makes objects that Kubernetes takes, with everything on and everything off'), () => {
    const all = ['ingress.enabled=true', 'ingress.tlsSecret=tls', 'networkPolicy.privateRanges={10.1.0.0/16}'];
    const none = ['autoscaling.enabled=false', 'networkPolicy.enabled=false', 'metrics.annotations=false'];
    const kinds = [[], all, none].map((sets) => {
      const manifests = render(...sets);
      for (const manifest of manifests) validateManifest(manifest);
      return manifests.map(({ kind }) => kind).toSorted();
    });
    const base = ['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];
    expect(kinds[0]).toEqual([...base, 'HorizontalPodAutoscaler', 'NetworkPolicy'].toSorted());
    expect(kinds[1]).toEqual([...base, 'HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy'].toSorted());
    expect(kinds[2]).toEqual(base);
  });

  lintedIt(named('refuses an object that Kubernetes would not take'), () => {
    const service = find(render(), 'Service');
    expect(() => validateManifest({ ...service, spec: { ports: [{ port: 'http' }] } })).toThrow(/port/);
  });

  lintedIt(named('runs as an unprivileged user, on a root that cannot be written'), () => {
    const pod = podOf(render());
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.automountServiceAccountToken).toBe(false);
    const containers = [...pod.initContainers, ...pod.containers];
    expect(containers.length).toBe(2);
    for (const { securityContext, resources, volumeMounts } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits).toHaveProperty('memory');
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/etc/hosted-api', '/data', '/tmp']);
    }
  });

  lintedIt(named('lets a node leave the balancer, drain, and only then be killed'), () => {
    const pod = podOf(render());
    const [container] = pod.containers;
    expect(container?.lifecycle?.preStop.exec.command).toEqual(['node', '-e', 'setTimeout(() => {}, 10000)']);
    expect(container?.readinessProbe?.httpGet.path).toBe('/ready');
    const config = parse(find(render(), 'ConfigMap').data?.['hosted.yaml'] ?? '') as { limits: { drain_s: number } };
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10 + config.limits.drain_s);
    expect(() => render('terminationGracePeriodSeconds=100')).toThrow(/must be above preStopSeconds/);
  });

  lintedIt(named('scales by streams under way, and keeps nodes during evictions'), () => {
    const manifests = render('autoscaling.targetAverageValue=300');
    expect(find(manifests, 'HorizontalPodAutoscaler').spec).toMatchObject({
      minReplicas: 2,
      metrics: [{ type: 'Pods', pods: { target: { averageValue: '300' } } }],
    });
    expect(find(manifests, 'Deployment').spec).not.toHaveProperty('replicas');
    expect(find(manifests, 'PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
  });

  lintedIt(named('reaches no private address that is not allowed'), () => {
    const rules = (manifests: readonly Manifest[]): string => JSON.stringify(find(manifests, 'NetworkPolicy').spec);
    expect(rules(render())).toContain('169.254.0.0/16');
    expect(rules(render())).not.toContain('10.1.0.0/16');
    expect(rules(render('networkPolicy.privateRanges={10.1.0.0/16}'))).toContain('"cidr":"10.1.0.0/16"');
  });

  lintedIt(named('has no secret in it'), () => {
    expect(render('env[0].name=KEY', 'env[0].valueFrom.secretKeyRef.name=s').map(({ kind }) => kind)).not.toContain(
      'Secret',
    );
    expect(find(render(), 'ConfigMap').data?.['hosted.yaml']).toContain('env: HOSTED_SECRET');
  });
});

describe('the compose file', () => {
  lintedIt(named('has no fault for dclint'), () => {
    expect(lintCompose('deploy/compose.yaml')).toBe('');
  });

  it('keeps the database from everything but the service, and runs without rights', () => {
    const { services, networks } = parse(readFileSync('deploy/compose.yaml', 'utf8')) as {
      services: Record<string, Record<string, unknown>>;
      networks: Record<string, unknown>;
    };
    expect(networks['back']).toEqual({ internal: true });
    expect(services['postgres']).toMatchObject({ networks: ['back'] });
    expect(services['postgres']).not.toHaveProperty('ports');
    expect(services['hosted-api']).toMatchObject({ read_only: true, user: '1000:1000', cap_drop: ['ALL'] });
  });
});

describe('YAML of deploy/', () => {
  const yamllint = hasYamllint() ? it : it.skip;
  yamllint(`has no fault for yamllint${hasYamllint() ? '' : ' (skipped: it is not installed)'}`, () => {
    const rules =
      '{extends: default, rules: {document-start: disable, line-length: {max: 120}, comments: {min-spaces-from-content: 1}}}';
    const files = ['deploy/compose.yaml', 'deploy/hosted.compose.yaml', `${CHART}/Chart.yaml`, `${CHART}/values.yaml`];
    expect(execFileSync('yamllint', ['-d', rules, ...files], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
  });
});

function hasYamllint(): boolean {
  try {
    execFileSync('yamllint', ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
