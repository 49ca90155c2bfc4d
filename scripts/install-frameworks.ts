// Installs the frameworks that adapters are tested with: node scripts/install-frameworks.ts. `npm test` does it, `npm start` does not.
import { fileURLToPath } from 'node:url'
import { installPackages } from './locked-packages.ts'

installPackages(fileURLToPath(new URL('../examples/frameworks', import.meta.url)), 'the frameworks of the adapters')
