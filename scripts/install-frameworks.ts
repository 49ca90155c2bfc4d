// Installs the frameworks that adapters are tested with: node scripts/install-frameworks.ts [--large]. `npm test` does it, `npm start`
// does not. Those that take long to install are in a folder of their own, and only `npm run test:all` installs them.
import { fileURLToPath } from 'node:url'
import { installPackages } from './locked-packages.ts'

const isLarge = process.argv.includes('--large')
const folder = isLarge ? '../examples/frameworks-large' : '../examples/frameworks'
installPackages(
  fileURLToPath(new URL(folder, import.meta.url)),
  isLarge ? 'the large frameworks of the adapters' : 'the frameworks of the adapters',
)
