//! Virtual environments that the tasks create in the build folder.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{root, run, target};

/// A virtual environment with certain packages.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Creates the environment, or reuses the existing one if it was made from the same lists.
    ///
    /// `requirements` is a file in the checkout; `alone` are packages that are installed without their dependencies, because they
    /// pin versions that no longer exist for current Pythons.
    pub fn prepare(name: &str, requirements: &str, alone: &[&str]) -> Result<Environment, String> {
        let folder = target().join(name);
        let list = fs::read_to_string(root().join(requirements))
            .map_err(|error| format!("{requirements}: {error}"))?;
        let recipe = format!("{list}\n{}\n", alone.join("\n"));
        let stamp = folder.join("recipe.txt");
        let environment = Environment { folder };
        if fs::read_to_string(&stamp).is_ok_and(|made| made == recipe) {
            return Ok(environment);
        }
        println!("making the Python environment {name}");
        let _ = fs::remove_dir_all(&environment.folder);
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment.folder))?;
        // Most modules are never imported: Python compiles only those that are.
        run(environment.pip().args(["--no-compile", "-r"]).arg(root().join(requirements)))?;
        if !alone.is_empty() {
            run(environment.pip().arg("--no-deps").args(alone))?;
        }
        fs::write(&stamp, recipe).map_err(|error| format!("{}: {error}", stamp.display()))?;
        Ok(environment)
    }

    /// Its Python interpreter.
    pub fn interpreter(&self) -> PathBuf {
        self.folder.join("bin").join("python")
    }

    /// Its Python, started in the root of the checkout.
    pub fn python(&self) -> Command {
        let mut python = Command::new(self.interpreter());
        python.current_dir(root());
        python
    }

    /// Builds the Python package with a cargo profile, by its own maturin, and returns the wheel.
    pub fn build_wheel(&self, profile: &str) -> Result<PathBuf, String> {
        println!("building the Python package");
        let wheels = target().join(format!("wheels-{profile}"));
        // Wheels of earlier runs would otherwise be picked up, too.
        let _ = fs::remove_dir_all(&wheels);
        let mut maturin = self.python();
        maturin.args(["-m", "maturin", "build", "--profile", profile, "--quiet"]);
        run(maturin.arg("--interpreter").arg(self.interpreter()).arg("--out").arg(&wheels))?;
        let files = fs::read_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
        let wheel = files.filter_map(Result::ok).map(|file| file.path()).next();
        wheel.ok_or_else(|| "maturin built no wheel".to_owned())
    }

    /// Builds the Python package and installs it without its dependencies, replacing one of the same version. Returns the wheel.
    pub fn install_package(&self, profile: &str) -> Result<PathBuf, String> {
        let wheel = self.build_wheel(profile)?;
        run(self.pip().args(["--no-deps", "--force-reinstall"]).arg(&wheel))?;
        Ok(wheel)
    }

    fn pip(&self) -> Command {
        let mut pip = self.python();
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    }
}
