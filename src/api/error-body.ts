import { Type } from 'typebox';

/** The body of every failed answer on the OpenAI-shaped routes. All four keys are always there (wire.md 2.2). */
export const ErrorBody = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
    code: Type.Union([Type.String(), Type.Null()]),
  }),
});
export type ErrorBody = Type.Static<typeof ErrorBody>;
