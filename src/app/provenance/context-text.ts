export { type ContextFormat, toContext } from '../../core/search/context-text.ts'
