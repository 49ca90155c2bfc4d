import { registerHooks } from 'node:module'

/** The entry points that programs outside of `src` name by package, and the source file of each. */
const sources: Readonly<Record<string, string>> = {
  colophon: '../../src/index.ts',
  'colophon/store': '../../src/store.ts',
  'colophon/testing': '../contract/suite/index.ts',
}

/** Resolves imports from `colophon/…` to the sources, so that a program written for the package runs in a clone without a build. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const source = sources[specifier]
    return nextResolve(source === undefined ? specifier : new URL(source, import.meta.url).href, context)
  },
})
