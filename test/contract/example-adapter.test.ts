/** The contract on the storage adapter in examples, which imports `colophon/store` as users of the package do. */
import '../../examples/storage-adapter/contract.test.ts'
