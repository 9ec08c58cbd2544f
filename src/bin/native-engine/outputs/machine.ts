import { Type } from '../../../schema/index.js';

const strict = { additionalProperties: false };

/** `doctor --json`. */
export const doctor = Type.Object(
  {
    problems: Type.Integer({ minimum: 0, description: 'how many checks found one' }),
    checks: Type.Array(
      Type.Object(
        {
          section: Type.String({ description: 'such as CPU, Kernels, Disk, Network' }),
          name: Type.String(),
          state: Type.Enum(['ok', 'note', 'problem'], {
            description: 'note: works, and could be better; problem: something will fail',
          }),
          text: Type.String({ description: 'what was found' }),
          advice: Type.Union([Type.String(), Type.Null()], { description: 'what to do about it' }),
        },
        strict,
      ),
    ),
    tree: Type.Unknown({ description: 'the live tree of the server, or of the engine that was tried' }),
  },
  strict,
);
export type DoctorOutput = Type.Static<typeof doctor>;
