// The part of a package-lock.json that an installed package needs: what its dependencies lead to, at the same places,
// versions and hashes, so that npm installs exactly what was tested here.

/** The folder of `name` as the package in `parent` finds it: in its own node_modules, or in one above. */
function folderOf(packages, parent, name) {
  for (let at = parent; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    const folder = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (packages[folder] !== undefined) return folder;
    if (at === "") return null;
  }
}

/** What a package cannot do without. */
function needed({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const own = Object.keys(dependencies).filter((name) => optionalDependencies[name] === undefined);
  return [...own, ...peers];
}

/** Adds to `reached` all that follows from the packages in `folders`. */
function reach(packages, folders, reached, withOptional) {
  const open = [...folders];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (folder !== "" && reached.has(folder)) continue;
    reached.add(folder);
    const optional = withOptional ? Object.keys(packages[folder].optionalDependencies ?? {}) : [];
    for (const name of [...needed(packages[folder]), ...optional]) {
      const found = folderOf(packages, folder, name);
      if (found !== null) open.push(found);
      else if (!optional.includes(name)) throw new Error(`package-lock.json has no ${name} for ${folder}`);
    }
  }
}

/** npm-shrinkwrap.json for a package with this package.json. */
function prunedLock({ packages, ...lock }, manifest) {
  const all = { ...packages, "": manifest };
  const required = new Set();
  reach(all, [""], required, false);
  const reached = new Set();
  reach(all, [""], reached, true);
  const entries = [...reached]
    .filter((folder) => folder !== "")
    .sort()
    .map((folder) => {
      const entry = { ...all[folder] };
      for (const flag of ["dev", "devOptional", "optional"]) delete entry[flag];
      return [folder, required.has(folder) ? entry : { ...entry, optional: true }];
    });
  const { name, version } = manifest;
  return { ...lock, name, version, packages: { "": manifest, ...Object.fromEntries(entries) } };
}

module.exports = { prunedLock };
