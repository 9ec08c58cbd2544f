// A name becomes a loaded model: where models lie, what is imported first, and the pool that holds them.
export { listAvailable, type AvailableModel } from './available-models.js';
export { defaultModelsDir, resolveOptions, type EngineOptions } from './engine-options.js';
export { libraryCodes } from './errors.js';
export { demoDirectory, findModel, locateModel, type LocateOptions } from './locate-model.js';
export { openModelHost, type ModelHost } from './model-host.js';
export { createModelLibrary, type ModelLibrary, type ModelLibraryOptions } from './model-library.js';
