import '../support/package-names.ts'

// After the names: a static import would be resolved before they are registered.
await import('../../examples/storage-adapter/contract.test.ts')
