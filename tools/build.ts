/** `npm run build`: writes the packages that others install to `dist/packages/`, ready for `npm pack`. */
import { publicPackages } from './PublicPackage.ts'
import { stageNode, stagePackage } from './stagePackage.ts'

for (const parts of publicPackages) console.log(await stagePackage(parts))
console.log(await stageNode())
