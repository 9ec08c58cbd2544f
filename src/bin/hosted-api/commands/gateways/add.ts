import { Command } from 'clipanion';
import { argument, requiredOption, switchOption, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

const METERINGS = ['inject', 'observe'] as const;

/** `hosted-api gateways add`. */
export class AddGatewayCommand extends Command<CliContext> {
  static override paths = [['gateways', 'add']];
  static override usage = Command.Usage({
    description: 'Connects a gateway, or any server with GET /v1/models, and asks it for its models.',
    details:
      'Clients then call its models at /pgw/SLUG/v1. A model needs a price too (prices import). The credential is read from a ' +
      'file or the environment, and is in the database sealed. Private addresses need gateways.allow_private in hosted.yaml.',
    examples: [
      ['A private gateway', '$0 gateways add berlin --url https://gw.example.com --credential-file berlin.key'],
      ['Two models of a server', '$0 gateways add lab --url http://10.1.2.3:8000 --models llama3,qwen3'],
    ],
  });

  slug = argument('SLUG', { description: 'how its path calls it: 3 to 40 of a to z, 0 to 9 and -' });
  config = configFlag();
  url = requiredOption('--url', { value: 'URL', description: 'what stands before /v1/models', group: 'Network' });
  name = textOption('--name', { value: 'TEXT', description: 'what the catalog calls it', default: 'the slug' });
  models = textOption('--models', { value: 'LIST', description: 'the models that are offered', default: 'all' });
  credentialFile = textOption('--credential-file', {
    value: 'FILE',
    description: 'has the key that the gateway asks for',
    default: 'none',
    group: 'Files',
  });
  credentialEnv = textOption('--credential-env', {
    value: 'NAME',
    description: 'the environment variable that has it',
    default: 'none',
  });
  metering = textOption('--metering', {
    value: 'HOW',
    description: 'inject: streams are asked for their usage; observe: no byte is changed',
    default: 'inject',
    group: 'Limits',
  });
  replace = switchOption('--replace', { description: 'change the gateway that has this slug' });
  json = jsonFlag('the gateway');
  debug = debugFlag();

  async execute(): Promise<number> {
    const [{ readCredential }, { parseChoice }] = await Promise.all([
      import('../../read-credential.js'),
      import('../../../../cli/index.js'),
    ]);
    const { terminal } = this.context;
    const { slug, url, name = slug, models, credentialFile: file, credentialEnv: env, metering, replace } = this;
    const params = {
      slug,
      name,
      base_url: url,
      replace,
      credential: await readCredential({ file, env }, terminal.env),
      ...(metering !== undefined && { metering: parseChoice('--metering', metering, METERINGS) }),
      ...(models !== undefined && { models: models.split(',').map((id) => id.trim()) }),
    };
    const [{ operate }, { renderAdded }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-gateways.js'),
    ]);
    await operate(this, terminal, { operation: 'gateways.add', params }, renderAdded);
    return 0;
  }
}
