//! The names that a scene defines.

use super::tree::{Kind, Node};
use super::{BEHAVIORS, BehaviorSpec, Draft};

/// The names that a scene defines and other keys refer to.
#[derive(Debug)]
pub struct Names {
    pub species: Vec<String>,
    pub paths: Vec<String>,
    pub trajectories: Vec<String>,
    pub lines: Vec<String>,
    /// Goals of the map.
    pub goals: Vec<String>,
    /// The built-in behaviors, and after them the scene's own.
    pub behaviors: Vec<&'static BehaviorSpec>,
    /// Action states of each species.
    states: Vec<Vec<String>>,
    /// Axes of the world; 0 where the file gives no valid size.
    pub axes: usize,
}

impl Names {
    /// The names that a file defines. Values that are no names are refused later, at their place.
    pub fn of_tree(root: &Node) -> Names {
        let tables = |path: &str| match path.split('.').try_fold(root, |node, part| node.child(part)).map(|n| &n.kind) {
            Some(Kind::List(nodes)) => &nodes[..],
            _ => &[],
        };
        let text = |node: &Node| match &node.kind {
            Kind::Text(text) => text.clone(),
            _ => String::new(),
        };
        let named = |what: &str, (i, node): (usize, &Node)| node.child("name").map_or(format!("{what} {i}"), text);
        let states = |node: &Node| match node.child("states").map(|node| &node.kind) {
            Some(Kind::List(nodes)) if !nodes.is_empty() => nodes.iter().map(text).collect(),
            _ => vec![String::new()],
        };
        Names {
            species: tables("species").iter().enumerate().map(|entry| named("species", entry)).collect(),
            paths: tables("paths").iter().enumerate().map(|entry| named("path", entry)).collect(),
            trajectories: tables("trajectories").iter().enumerate().map(|entry| named("trajectory", entry)).collect(),
            lines: tables("lines").iter().enumerate().map(|entry| named("line", entry)).collect(),
            goals: tables("map.goals").iter().enumerate().map(|entry| named("goal", entry)).collect(),
            behaviors: BEHAVIORS.iter().collect(),
            states: tables("species").iter().map(states).collect(),
            axes: match root.child("world").and_then(|world| world.child("size")).map(|node| &node.kind) {
                Some(Kind::List(nodes)) if (2..=3).contains(&nodes.len()) => nodes.len(),
                _ => 0,
            },
        }
    }

    /// The names that a draft defines.
    pub fn of(draft: &Draft) -> Names {
        Names {
            species: draft.species.iter().map(|species| species.name.clone()).collect(),
            paths: draft.scenery.paths.iter().map(|path| path.name.clone()).collect(),
            trajectories: draft.scenery.trajectories.iter().map(|trajectory| trajectory.name.clone()).collect(),
            lines: draft.scenery.lines.iter().map(|line| line.name.clone()).collect(),
            goals: draft.map.iter().flat_map(|map| &map.goals).map(|goal| goal.name.clone()).collect(),
            behaviors: draft.registry().collect(),
            states: draft.species.iter().map(|species| species.states.clone()).collect(),
            axes: draft.world.axes(),
        }
    }

    /// Names of the action states of the species that a dotted path leads into.
    pub fn states(&self, path: &str) -> &[String] {
        let index = path.split('.').nth(1).and_then(|index| index.parse::<usize>().ok());
        index.and_then(|index| self.states.get(index)).map_or(&[], Vec::as_slice)
    }

    /// How many numbers a vector may have.
    pub fn axes(&self) -> &'static [usize] {
        match self.axes {
            2 => &[2],
            3 => &[3],
            _ => &[2, 3],
        }
    }
}
