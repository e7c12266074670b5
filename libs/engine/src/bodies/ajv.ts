/** Loaded when it is needed; bundled, a CommonJS module that is imported then would have its default export alone. */
export { Ajv2020 } from 'ajv/dist/2020.js'
