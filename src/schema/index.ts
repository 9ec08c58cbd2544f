// Schemas of JSON as values, with their types and validators: typebox, by one door. The build makes one file of this one and
// of the 683 that it loads (src/bundle.mjs): they took two thirds of the time that importing Troupe took.
export { Type, type Static, type TSchema } from 'typebox';
export { Compile } from 'typebox/compile';
