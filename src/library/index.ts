// A name becomes a loaded model: the meaning of names, the import before a load, and the host of loaded models.
export { listAvailable, type AvailableModel } from './available-models.js';
export { resolveOptions, templateName, type EngineOptions, type ImportMode } from './engine-options.js';
export { libraryCodes } from './errors.js';
export { demoDirectory, findModel } from './find-model.js';
export { findOrPull, toReference } from './find-or-pull.js';
export { locateModel, locateWithoutImport, type LocateOptions } from './locate-model.js';
export { notFound } from './not-found.js';
export { openModelHost, type ModelHost } from './model-host.js';
export { readTemplate } from './read-template.js';
export { createModelLibrary, type ModelLibrary, type ModelLibraryOptions, type NamedModel } from './model-library.js';
export { createOneModelLibrary, type OneModelLibrary, type OneModelState } from './one-model.js';
export { signatureNote } from './signature-note.js';
